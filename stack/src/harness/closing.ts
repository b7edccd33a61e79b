/** Lets `await using` close something at the end of the block. */
export function closing<Resource extends { close(): unknown }>(resource: Resource): Resource & AsyncDisposable {
  return Object.assign(resource, { [Symbol.asyncDispose]: async () => void (await resource.close()) });
}
