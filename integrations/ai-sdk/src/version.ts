/** The version of this package, as it introduces itself to the service. A test compares it with package.json. */
export const version = '0.1.0';
