// At most 128 arguments.
use pi_tools::prelude::*;

/// Add numbers.
#[pi_tool]
fn add(
    #[doc = "N"] _n0: u8, #[doc = "N"] _n1: u8, #[doc = "N"] _n2: u8, #[doc = "N"] _n3: u8, #[doc = "N"] _n4: u8, #[doc = "N"] _n5: u8,
    #[doc = "N"] _n6: u8, #[doc = "N"] _n7: u8, #[doc = "N"] _n8: u8, #[doc = "N"] _n9: u8, #[doc = "N"] _n10: u8, #[doc = "N"] _n11: u8,
    #[doc = "N"] _n12: u8, #[doc = "N"] _n13: u8, #[doc = "N"] _n14: u8, #[doc = "N"] _n15: u8, #[doc = "N"] _n16: u8, #[doc = "N"] _n17: u8,
    #[doc = "N"] _n18: u8, #[doc = "N"] _n19: u8, #[doc = "N"] _n20: u8, #[doc = "N"] _n21: u8, #[doc = "N"] _n22: u8, #[doc = "N"] _n23: u8,
    #[doc = "N"] _n24: u8, #[doc = "N"] _n25: u8, #[doc = "N"] _n26: u8, #[doc = "N"] _n27: u8, #[doc = "N"] _n28: u8, #[doc = "N"] _n29: u8,
    #[doc = "N"] _n30: u8, #[doc = "N"] _n31: u8, #[doc = "N"] _n32: u8, #[doc = "N"] _n33: u8, #[doc = "N"] _n34: u8, #[doc = "N"] _n35: u8,
    #[doc = "N"] _n36: u8, #[doc = "N"] _n37: u8, #[doc = "N"] _n38: u8, #[doc = "N"] _n39: u8, #[doc = "N"] _n40: u8, #[doc = "N"] _n41: u8,
    #[doc = "N"] _n42: u8, #[doc = "N"] _n43: u8, #[doc = "N"] _n44: u8, #[doc = "N"] _n45: u8, #[doc = "N"] _n46: u8, #[doc = "N"] _n47: u8,
    #[doc = "N"] _n48: u8, #[doc = "N"] _n49: u8, #[doc = "N"] _n50: u8, #[doc = "N"] _n51: u8, #[doc = "N"] _n52: u8, #[doc = "N"] _n53: u8,
    #[doc = "N"] _n54: u8, #[doc = "N"] _n55: u8, #[doc = "N"] _n56: u8, #[doc = "N"] _n57: u8, #[doc = "N"] _n58: u8, #[doc = "N"] _n59: u8,
    #[doc = "N"] _n60: u8, #[doc = "N"] _n61: u8, #[doc = "N"] _n62: u8, #[doc = "N"] _n63: u8, #[doc = "N"] _n64: u8, #[doc = "N"] _n65: u8,
    #[doc = "N"] _n66: u8, #[doc = "N"] _n67: u8, #[doc = "N"] _n68: u8, #[doc = "N"] _n69: u8, #[doc = "N"] _n70: u8, #[doc = "N"] _n71: u8,
    #[doc = "N"] _n72: u8, #[doc = "N"] _n73: u8, #[doc = "N"] _n74: u8, #[doc = "N"] _n75: u8, #[doc = "N"] _n76: u8, #[doc = "N"] _n77: u8,
    #[doc = "N"] _n78: u8, #[doc = "N"] _n79: u8, #[doc = "N"] _n80: u8, #[doc = "N"] _n81: u8, #[doc = "N"] _n82: u8, #[doc = "N"] _n83: u8,
    #[doc = "N"] _n84: u8, #[doc = "N"] _n85: u8, #[doc = "N"] _n86: u8, #[doc = "N"] _n87: u8, #[doc = "N"] _n88: u8, #[doc = "N"] _n89: u8,
    #[doc = "N"] _n90: u8, #[doc = "N"] _n91: u8, #[doc = "N"] _n92: u8, #[doc = "N"] _n93: u8, #[doc = "N"] _n94: u8, #[doc = "N"] _n95: u8,
    #[doc = "N"] _n96: u8, #[doc = "N"] _n97: u8, #[doc = "N"] _n98: u8, #[doc = "N"] _n99: u8, #[doc = "N"] _n100: u8, #[doc = "N"] _n101: u8,
    #[doc = "N"] _n102: u8, #[doc = "N"] _n103: u8, #[doc = "N"] _n104: u8, #[doc = "N"] _n105: u8, #[doc = "N"] _n106: u8, #[doc = "N"] _n107: u8,
    #[doc = "N"] _n108: u8, #[doc = "N"] _n109: u8, #[doc = "N"] _n110: u8, #[doc = "N"] _n111: u8, #[doc = "N"] _n112: u8, #[doc = "N"] _n113: u8,
    #[doc = "N"] _n114: u8, #[doc = "N"] _n115: u8, #[doc = "N"] _n116: u8, #[doc = "N"] _n117: u8, #[doc = "N"] _n118: u8, #[doc = "N"] _n119: u8,
    #[doc = "N"] _n120: u8, #[doc = "N"] _n121: u8, #[doc = "N"] _n122: u8, #[doc = "N"] _n123: u8, #[doc = "N"] _n124: u8, #[doc = "N"] _n125: u8,
    #[doc = "N"] _n126: u8, #[doc = "N"] _n127: u8, #[doc = "N"] _n128: u8,
) {}

fn main() {}
