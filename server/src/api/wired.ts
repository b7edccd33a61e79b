/** An operation as a route calls it: its dependencies are wired in. */
export type Wired<Operation> = Operation extends (dependencies: never, ...input: infer Input) => infer Result
  ? (...input: Input) => Result
  : never;
