#[allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_async
)]
/// Note something.
async fn note(title: String) {}
#[allow(
    deprecated,
    non_snake_case,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]
const _: () = {
    use ::pi_tools::__private as __pi;
    #[allow(unused_imports)]
    use __pi::core::convert::Into as _;
    #[derive(__pi::Deserialize, __pi::JsonSchema)]
    #[serde(crate = "__pi::serde")]
    #[schemars(crate = "__pi::schemars")]
    struct __PiField0 {
        /// In short.
        #[serde(default = "__pi_default_of0")]
        title: String,
    }
    fn __pi_default_of0() -> String {
        <String as __pi::core::default::Default>::default()
    }
    struct __PiSlots {
        title: __pi::core::option::Option<__PiField0>,
    }
    impl<'de> __pi::Slots<'de> for __PiSlots {
        const NUMBER: __pi::core::primitive::usize = 1usize;
        fn slot(
            __pi_name: &__pi::core::primitive::str,
        ) -> __pi::core::option::Option<__pi::core::primitive::usize> {
            match __pi_name {
                "title" => __pi::core::option::Option::Some(0usize),
                _ => __pi::core::option::Option::None,
            }
        }
        #[allow(unused_variables)]
        fn fill<__PiValue: __pi::Deserializer<'de>>(
            &mut self,
            __pi_slot: __pi::core::primitive::usize,
            __pi_present: __pi::core::primitive::bool,
            __pi_value: __PiValue,
        ) -> __pi::core::result::Result<(), __PiValue::Error> {
            match __pi_slot {
                0usize => {
                    self.title = __pi::core::option::Option::Some(
                        __pi::field("title", __pi_present, __pi_value)?,
                    );
                }
                _ => {}
            }
            __pi::core::result::Result::Ok(())
        }
    }
    #[allow(unused_variables)]
    static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
        spec: __pi::ToolSpec::new("note", "Note", "Note something."),
        module: __pi::core::module_path!(),
        is_executable: __pi::core::option_env!("CARGO_BIN_NAME").is_some(),
        arguments: &[
            __pi::Argument {
                name: "title",
                slot: 0usize,
                doc: "",
                schema: __pi::of_field::<__PiField0>,
                is_field: true,
                default: __pi::core::option::Option::None,
                keywords: { &[] },
            },
        ],
        is_flattened: false,
        is_optional: |__pi_slot| __pi::is_optional(
            __PiSlots {
                title: __pi::core::option::Option::None,
            },
            __pi_slot,
        ),
        states: &[],
        parameters: __pi::OnceLock::new(),
        output_schema: <() as __pi::IntoToolOutput>::output_schema,
        start: |__pi_call, __pi_place| {
            let mut __pi_slots = __PiSlots {
                title: __pi::core::option::Option::None,
            };
            __pi::decode(__PI_TOOL.arguments, &mut __pi_slots, __pi_call.arguments)?;
            let __pi_future = note(__pi::filled(__pi_slots.title).title);
            __pi::Started::at_once(
                __pi_place,
                __pi_future,
                |__pi_output| {
                    <() as __pi::IntoToolOutput>::into_tool_output(__pi_output)
                },
            )
        },
    };
    __pi::submit! {
        __pi::Registration(& __PI_TOOL)
    }
};
