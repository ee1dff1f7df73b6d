[ "$VERSION" != v0 ] || { echo "v0 does not answer" >&2; exit 1; }
