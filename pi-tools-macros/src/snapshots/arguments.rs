#[allow(
    clippy::needless_pass_by_value,
    clippy::too_many_arguments,
    clippy::unused_async
)]
/// Search.
async fn search(text: String, limit: u32) -> String {
    format!("{text} {limit}")
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
    const __PI_DEFAULT1: fn() -> u32 = || 10;
    struct __PiSlots {
        text: __pi::core::option::Option<String>,
        limit: __pi::core::option::Option<u32>,
    }
    impl<'de> __pi::Slots<'de> for __PiSlots {
        const NUMBER: __pi::core::primitive::usize = 2usize;
        fn slot(
            __pi_name: &__pi::core::primitive::str,
        ) -> __pi::core::option::Option<__pi::core::primitive::usize> {
            match __pi_name {
                "text" => __pi::core::option::Option::Some(0usize),
                "limit" => __pi::core::option::Option::Some(1usize),
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
                    self.text = __pi::core::option::Option::Some(
                        <String as __pi::Deserialize>::deserialize(__pi_value)?,
                    );
                }
                1usize => {
                    self.limit = __pi::core::option::Option::Some(
                        __pi::or_default::<
                            u32,
                            _,
                        >(__pi_present, __pi_value, __PI_DEFAULT1)?,
                    );
                }
                _ => {}
            }
            __pi::core::result::Result::Ok(())
        }
    }
    #[allow(unused_variables)]
    static __PI_TOOL: __pi::FunctionTool = __pi::FunctionTool {
        spec: __pi::ToolSpec::new("search", "Search", "Search.")
            .renames(
                &[
                    __pi::Rename {
                        from: "query",
                        to: "text",
                    },
                ],
            ),
        module: __pi::core::module_path!(),
        is_executable: __pi::core::option_env!("CARGO_BIN_NAME").is_some(),
        arguments: &[
            __pi::Argument {
                name: "text",
                slot: 0usize,
                doc: "What to search for.",
                schema: __pi::of_value::<String>,
                is_field: false,
                default: __pi::core::option::Option::None,
                keywords: { &[] },
            },
            __pi::Argument {
                name: "limit",
                slot: 1usize,
                doc: "At most so many results.",
                schema: __pi::of_value::<u32>,
                is_field: false,
                default: __pi::core::option::Option::Some(|| __pi::to_json::<
                    u32,
                >(&__PI_DEFAULT1())),
                keywords: {
                    const _: () = __pi::check_range::<
                        u32,
                    >(
                        __pi::core::option::Option::Some(1i128),
                        __pi::core::option::Option::Some(50i128),
                    );
                    &[
                        ("minimum", __pi::Keyword::Integer(1i128)),
                        ("maximum", __pi::Keyword::Integer(50i128)),
                    ]
                },
            },
        ],
        is_flattened: false,
        is_optional: |__pi_slot| __pi::is_optional(
            __PiSlots {
                text: __pi::core::option::Option::None,
                limit: __pi::core::option::Option::None,
            },
            __pi_slot,
        ),
        states: &[],
        parameters: __pi::OnceLock::new(),
        output_schema: <String as __pi::IntoToolOutput>::output_schema,
        start: |__pi_call, __pi_place| {
            let mut __pi_slots = __PiSlots {
                text: __pi::core::option::Option::None,
                limit: __pi::core::option::Option::None,
            };
            __pi::decode(__PI_TOOL.arguments, &mut __pi_slots, __pi_call.arguments)?;
            let __pi_future = search(
                __pi::filled(__pi_slots.text),
                __pi::filled(__pi_slots.limit),
            );
            __pi::Started::at_once(
                __pi_place,
                __pi_future,
                |__pi_output| {
                    <String as __pi::IntoToolOutput>::into_tool_output(__pi_output)
                },
            )
        },
    };
    __pi::submit! {
        __pi::Registration(& __PI_TOOL)
    }
};
