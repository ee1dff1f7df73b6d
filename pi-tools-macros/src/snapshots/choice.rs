const _: () = {
    use ::pi_tools::__private as __pi;
    #[automatically_derived]
    impl __pi::StringEnum for Unit {
        const VALUES: &'static [&'static __pi::core::primitive::str] = &[
            "metre",
            "second",
        ];
        const ALIASES: &'static [(
            &'static __pi::core::primitive::str,
            &'static __pi::core::primitive::str,
        )] = &[("meter", "metre")];
        fn as_str(&self) -> &'static __pi::core::primitive::str {
            match self {
                Self::Metre => "metre",
                Self::Second => "second",
            }
        }
        fn from_value(
            __pi_value: &__pi::core::primitive::str,
        ) -> __pi::core::option::Option<Self> {
            __pi::core::option::Option::Some(
                match __pi_value {
                    "metre" | "meter" => Self::Metre,
                    "second" => Self::Second,
                    _ => return __pi::core::option::Option::None,
                },
            )
        }
    }
    #[automatically_derived]
    impl __pi::core::fmt::Display for Unit {
        fn fmt(
            &self,
            f: &mut __pi::core::fmt::Formatter<'_>,
        ) -> __pi::core::fmt::Result {
            f.pad(__pi::StringEnum::as_str(self))
        }
    }
    #[automatically_derived]
    impl __pi::core::str::FromStr for Unit {
        type Err = __pi::UnknownValue;
        fn from_str(
            __pi_value: &__pi::core::primitive::str,
        ) -> __pi::core::result::Result<Self, Self::Err> {
            <Self as __pi::StringEnum>::from_value(__pi_value)
                .ok_or_else(|| __pi::unknown_value::<Self>(__pi_value))
        }
    }
    #[automatically_derived]
    impl __pi::serde::Serialize for Unit {
        fn serialize<S: __pi::serde::Serializer>(
            &self,
            serializer: S,
        ) -> __pi::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(__pi::StringEnum::as_str(self))
        }
    }
    #[automatically_derived]
    impl<'de> __pi::serde::Deserialize<'de> for Unit {
        fn deserialize<D: __pi::serde::Deserializer<'de>>(
            deserializer: D,
        ) -> __pi::core::result::Result<Self, D::Error> {
            __pi::deserialize_string_enum(deserializer)
        }
    }
    #[automatically_derived]
    impl __pi::schemars::JsonSchema for Unit {
        fn schema_name() -> __pi::Cow<'static, __pi::core::primitive::str> {
            __pi::Cow::Borrowed("Unit")
        }
        fn schema_id() -> __pi::Cow<'static, __pi::core::primitive::str> {
            __pi::Cow::Borrowed(
                __pi::core::concat!(__pi::core::module_path!(), "::", "Unit"),
            )
        }
        fn json_schema(
            _: &mut __pi::schemars::SchemaGenerator,
        ) -> __pi::schemars::Schema {
            __pi::string_enum_schema(
                "A unit.",
                <Self as __pi::StringEnum>::VALUES,
                &["Of length.", ""],
                <Self as __pi::StringEnum>::ALIASES,
            )
        }
    }
};
