interface Schema {
  description?: string;
  examples?: unknown[];
  properties?: Record<string, { description?: string }>;
}

interface Described {
  components?: { schemas?: Record<string, Schema> };
}

/** What a task has in each status that others lack: fields that are null otherwise. */
const forms = {
  UnfinishedTask: {
    description: 'A task that waits or runs.',
    status: ['queued', 'in_progress'],
    fields: {},
  },
  CompletedTask: {
    description: 'A task with a video.',
    status: ['completed'],
    fields: {
      video: { $ref: '#/components/schemas/Video' },
      completed_at: { type: 'integer' },
      expires_at: { type: 'integer' },
    },
  },
  FailedTask: {
    description: 'A task that failed; `error` says why.',
    status: ['failed'],
    fields: {
      error: { $ref: '#/components/schemas/TaskError' },
      completed_at: { type: 'integer' },
    },
  },
  CancelledTask: {
    description: 'A task that was cancelled before it completed.',
    status: ['cancelled'],
    fields: { completed_at: { type: 'integer' } },
  },
} as const;

/** Describes a task by its status, so that generated clients know what a completed one has. Nothing else changes. */
export function describeTaskByStatus<Document extends object>(document: Document): Document {
  const { components } = document as Described; // the plug-in mixes the types of several versions of OpenAPI
  const { Task: task = {} } = components?.schemas ?? {};
  const { description, examples, ...any } = task;
  const described = Object.entries(forms).map(([name, { description, status, fields }]) => {
    const narrowed = { status: { type: 'string', enum: status }, ...fields };
    const properties = Object.entries(narrowed).map(([field, schema]) => [
      field,
      { ...schema, description: task.properties?.[field]?.description },
    ]);
    const form = { type: 'object', required: Object.keys(narrowed), properties: Object.fromEntries(properties) };
    return [name, { description, allOf: [{ $ref: '#/components/schemas/AnyTask' }, form] }] as const;
  });
  const mapping = Object.entries(forms).flatMap(([name, { status }]) =>
    status.map((one) => [one, `#/components/schemas/${name}`] as const),
  );
  const schemas = {
    ...components?.schemas,
    Task: {
      description,
      examples,
      oneOf: Object.keys(forms).map((name) => ({ $ref: `#/components/schemas/${name}` })),
      discriminator: { propertyName: 'status', mapping: Object.fromEntries(mapping) },
    },
    AnyTask: { description: 'What every task has, whatever its status.', ...any },
    ...Object.fromEntries(described),
  };
  return { ...document, components: { ...components, schemas } };
}
