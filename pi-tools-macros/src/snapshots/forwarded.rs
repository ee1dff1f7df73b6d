#[allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_async
)]
/// Note something.
async fn note(title: String) {}
#[allow(deprecated, unused_qualifications, clippy::all, clippy::pedantic)]
const _: () = {
    use ::pi_tools::__private as __pi;
    #[allow(unused_imports)]
    use __pi::core::convert::Into as _;
    #[derive(__pi::Deserialize, __pi::JsonSchema)]
    #[serde(crate = "__pi::serde")]
    #[schemars(crate = "__pi::schemars")]
    struct __PiField0 {
        /// In short.
        #[serde(default)]
        title: String,
    }
    struct __PiSlots {
        title: __pi::core::option::Option<__PiField0>,
    }
    impl<'de> __pi::Slots<'de> for __PiSlots {
        #[allow(unused_variables)]
        fn fill<__PiValue: __pi::Deserializer<'de>>(
            &mut self,
            index: __pi::core::primitive::usize,
            present: __pi::core::primitive::bool,
            value: __PiValue,
        ) -> __pi::core::result::Result<(), __PiValue::Error> {
            match index {
                0usize => {
                    self.title = __pi::core::option::Option::Some(
                        __pi::field("title", present, value)?,
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
        arguments: &[
            __pi::Argument {
                name: "title",
                slot: 0usize,
                doc: "",
                schema: __pi::of_field::<__PiField0>,
                is_field: true,
                default: __pi::core::option::Option::None,
                keywords: { &[] },
                mutates: false,
            },
        ],
        is_flattened: false,
        is_optional: |slot| __pi::is_optional(
            __PiSlots {
                title: __pi::core::option::Option::None,
            },
            slot,
        ),
        states: &[],
        start: |call| {
            let slots = __pi::decode(
                __PI_TOOL.arguments,
                __PiSlots {
                    title: __pi::core::option::Option::None,
                },
                call.arguments,
            )?;
            __pi::core::result::Result::Ok({
                let cx = call.cx;
                __pi::Started::new(async move {
                    let __pi_output = note(__pi::filled(slots.title).title).await;
                    let __pi_finished = __pi::Finished::new(
                        __pi::IntoToolOutput::into_tool_output(__pi_output)?,
                    );
                    __pi::core::result::Result::Ok(__pi_finished)
                })
            })
        },
    };
    __pi::submit! {
        __pi::Registration(& __PI_TOOL)
    }
};
