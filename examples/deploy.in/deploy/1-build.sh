echo "building $VERSION"
