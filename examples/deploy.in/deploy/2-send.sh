echo "sending $VERSION to $TARGET"
