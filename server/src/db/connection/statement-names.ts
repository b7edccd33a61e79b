/** 5: a statement that runs once, such as one with a list of unusual length, is not worth a plan in every session. */
const usesBeforeName = 5;
/** Twice as many as the server has. Postgres keeps each plan while the session lives, up to 1 MB for 46 partitions. */
const nameLimit = 300;
/** 2,000: bounds the memory for texts that never come again. */
const textLimit = 2_000;

/** Names the statements that run often, so that Postgres parses and plans each of them once per session. */
export interface StatementNames {
  /** Returns the name of a statement, or undefined if it is to be sent without one. */
  nameOf: (text: string, values: readonly unknown[]) => string | undefined;
}

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  return {
    nameOf(text, values) {
      // Statements without parameters, such as `begin`, are cheaper in the simple protocol, which knows no names.
      if (values.length === 0) return undefined;
      const name = names.get(text);
      if (name !== undefined || names.size >= nameLimit) return name;
      const count = (uses.get(text) ?? 0) + 1;
      if (count < usesBeforeName) {
        if (uses.size >= textLimit) uses.clear();
        uses.set(text, count);
        return undefined;
      }
      uses.delete(text);
      names.set(text, `kinora_${names.size + 1}`);
      return names.get(text);
    },
  };
}
