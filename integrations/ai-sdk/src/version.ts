/** The version of this package, sent in the `user-agent` header. A test compares it with package.json. */
export const version = '0.1.0';
