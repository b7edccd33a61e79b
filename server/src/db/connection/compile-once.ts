import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely';
import type { Schema } from './schema.ts';

/** Compiles without a connection: the text of a query does not depend on who executes it. */
const compiler = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** A query, or a statement of the tag `sql`. */
interface Compiles<Row> {
  compile(db: Kysely<Schema>): CompiledQuery<Row>;
}

/** Stands for a value while the query is compiled. */
class Placeholder {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * Compiles a frequent query once, because Kysely takes longer for it at each execution than pg takes for the rest.
 * `build` gets placeholders: it must pass each value on as a parameter of the query, unread.
 */
export function compileOnce<Values extends object, Row>(
  build: (db: Kysely<Schema>, values: Values) => Compiles<Row>,
): (values: Values) => CompiledQuery<Row> {
  let compiled: CompiledQuery<Row> | null = null;
  let valueOf: ((values: Values) => unknown)[] = [];
  return (values) => {
    if (compiled === null) {
      const placeholders = new Proxy({}, { get: (_, name) => new Placeholder(name) });
      // The placeholders have any type that a value may have, because nothing reads them.
      compiled = build(compiler, placeholders as Values).compile(compiler);
      valueOf = compiled.parameters.map((parameter) =>
        parameter instanceof Placeholder ? (given: Values) => given[parameter.name as keyof Values] : () => parameter,
      );
    }
    return { ...compiled, parameters: valueOf.map((read) => read(values)) };
  };
}
