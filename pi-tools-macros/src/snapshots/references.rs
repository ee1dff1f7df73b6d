#[allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_async
)]
/// Count, and block.
fn count(cx: &ToolContext, total: &mut Total) -> Result<(), ToolError> {
    total.count(cx)
}
#[allow(
    deprecated,
    non_snake_case,
    unused_qualifications,
    clippy::all,
    clippy::pedantic
)]
const _: () = {
    use ::pi_tools::__private as __pi;
    struct __PiSlots {}
    impl<'de> __pi::Slots<'de> for __PiSlots {
        const NUMBER: __pi::core::primitive::usize = 0usize;
        fn slot(
            __pi_name: &__pi::core::primitive::str,
        ) -> __pi::core::option::Option<__pi::core::primitive::usize> {
            match __pi_name {
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
                _ => {}
            }
            __pi::core::result::Result::Ok(())
        }
    }
    #[allow(unused_variables)]
    static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
        spec: __pi::ToolSpec::new("count", "Count", "Count, and block.")
            .needs(&[__pi::Need::of::<ToolContext>()]),
        module: __pi::core::module_path!(),
        is_executable: __pi::core::option_env!("CARGO_BIN_NAME").is_some(),
        arguments: &[],
        is_flattened: false,
        is_optional: |__pi_slot| __pi::is_optional(__PiSlots {}, __pi_slot),
        states: &[<Total as __pi::SessionState>::KEY],
        parameters: __pi::OnceLock::new(),
        output_schema: <Result<(), ToolError> as __pi::IntoToolOutput>::output_schema,
        start: |__pi_call, __pi_place| {
            let mut __pi_slots = __PiSlots {};
            __pi::decode(__PI_TOOL.arguments, &mut __pi_slots, __pi_call.arguments)?;
            let mut __pi_state0 = __pi_call.state::<Total>()?;
            let __pi_cx = __pi::core::clone::Clone::clone(__pi_call.cx);
            __pi::core::result::Result::Ok(
                __pi::core::option::Option::Some(
                    __pi::Started::blocking(move || {
                        let __pi_cx = &__pi_cx;
                        let __pi_output = count(
                            <ToolContext as __pi::FromContext>::from_context(__pi_cx)?,
                            &mut __pi_state0,
                        );
                        let __pi_finished = __pi::Finished::new(
                            <Result<
                                (),
                                ToolError,
                            > as __pi::IntoToolOutput>::into_tool_output(__pi_output)?,
                        );
                        let __pi_finished = __pi_finished.state::<Total>(&__pi_state0)?;
                        __pi::core::result::Result::Ok(__pi_finished)
                    }),
                ),
            )
        },
    };
    __pi::submit! {
        __pi::Registration(& __PI_TOOL)
    }
};
