interface Response {
  $ref?: string;
  content?: Record<string, { examples?: object }>;
}

interface Described {
  paths?: Record<string, Record<string, { responses?: Record<string, Response> }>>;
  components?: object;
}

/** Moves what many operations of an OpenAPI document repeat into its components, and refers to it. */
export function shareComponents<Document extends object>(document: Document): Document {
  return withSharedResponses(withSharedExamples(document));
}

/** Moves the examples of errors, which are the same on every route, into the components and refers to them. */
function withSharedExamples<Document extends object>(document: Document): Document {
  const examples: Record<string, unknown> = {};
  // The plug-in's types lack the `content` of responses and mix several versions of OpenAPI.
  const { components } = document as Described;
  const responses = responsesOf(document).flatMap((byStatus) => Object.values(byStatus));
  for (const content of responses.flatMap((response) => Object.values(response.content ?? {}))) {
    const named = Object.entries(content.examples ?? {});
    if (named.length === 0) continue;
    Object.assign(examples, content.examples);
    content.examples = Object.fromEntries(named.map(([name]) => [name, { $ref: `#/components/examples/${name}` }]));
  }
  return { ...document, components: { ...components, examples } };
}

/** Moves the most common error response of each status into the components: half of the document would repeat it. */
function withSharedResponses<Document extends object>(document: Document): Document {
  const all = responsesOf(document);
  const errors = all.flatMap((byStatus) => Object.entries(byStatus).filter(([status]) => Number(status) >= 400));
  const shared = Map.groupBy(errors, ([status]) => status);
  const common = [...shared].map(([status, ofStatus]) => {
    const byText = Map.groupBy(ofStatus, ([, response]) => JSON.stringify(response));
    const [[text]] = [...byText].toSorted(([, one], [, other]) => other.length - one.length) as [[string, unknown]];
    return { status, name: `Error${status}`, text };
  });
  for (const byStatus of all) {
    for (const { status, name, text } of common) {
      if (JSON.stringify(byStatus[status]) === text) byStatus[status] = { $ref: `#/components/responses/${name}` };
    }
  }
  const responses = Object.fromEntries(common.map(({ name, text }) => [name, JSON.parse(text) as Response]));
  return { ...document, components: { ...(document as Described).components, responses } };
}

function responsesOf(document: object): Record<string, Response>[] {
  const { paths = {} } = document as Described;
  return Object.values(paths).flatMap((path) => Object.values(path).map(({ responses = {} }) => responses));
}
