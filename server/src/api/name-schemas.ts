interface Schema {
  description?: string | undefined;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  type?: string;
}

interface Described {
  components?: { schemas?: Record<string, Schema> };
}

/**
 * The names of schemas that are described in the midst of others, and where each is: a component, its fields, `[]` for the
 * items of a list, and a number for one of several forms. Generators would invent names from these places.
 */
const places: Readonly<Record<string, string>> = {
  TaskType: 'Task.type',
  TaskStatus: 'Task.status',
  TaskStage: 'Task.stage',
  ProgressSource: 'Task.progress_source',
  Resolution: 'Task.resolution',
  AspectRatio: 'Task.aspect_ratio',
  TaskImage: 'Task.image',
  ImageFit: 'Task.image.fit',
  TaskError: 'Task.error',
  TaskUsage: 'Task.usage',
  RenderedSize: 'Video.rendered',
  EventType: 'Event.type',
  TaskInEvent: 'Event.data.1',
  DeletedTaskInEvent: 'Event.data.2',
  EndpointStatus: 'WebhookEndpoint.status',
  DisabledReason: 'WebhookEndpoint.disabled_reason',
  DeliveredEventType: 'WebhookDelivery.event_type',
  DeliveryStatus: 'WebhookDelivery.status',
  DeadReason: 'WebhookDelivery.dead_reason',
  DeliveryTry: 'TriedWebhookDelivery.tries.[]',
  ResolvedRequest: 'Estimate.request',
  UsageResult: 'UsageBucket.results.[]',
  UsageSeconds: 'UsageBucket.results.[].waiting_seconds',
  OpenAiImageUrl: 'OpenAiVideoRequest.input_reference.1',
  OpenAiImageFile: 'OpenAiVideoRequest.input_reference.2',
  Actor: 'AuditEvent.actor',
  ActorType: 'AuditEvent.actor.type',
  Scope: 'ApiKey.scopes.[]',
  Capabilities: 'Model.capabilities',
  Durations: 'Model.capabilities.durations',
  ModelPrice: 'Model.price',
  ModelSpeed: 'Model.speeds.[]',
  ErrorBody: 'Error.error',
  ErrorType: 'Error.error.type',
  ErrorDetail: 'Error.error.details.[]',
  TimelineStage: 'Timeline.stages.[]',
  TimelineAttempt: 'Timeline.attempts.[]',
  RequestLimit: 'Limits.creates',
  Quota: 'Limits.running',
  StorageQuota: 'Limits.storage',
};

/** Moves these schemas into the components of an OpenAPI document, and refers to them wherever the same is described. */
export function nameSchemas<Document extends object>(document: Document): Document {
  const { components } = document as Described; // the plug-in mixes the types of several versions of OpenAPI
  const schemas = components?.schemas ?? {};
  const found = new Map(Object.entries(places).map(([name, place]) => [name, schemaAt(schemas, place)] as const));
  const names = new Map(Array.from(found, ([name, schema]) => [keyOf(schema), name] as const));
  const refer = (value: unknown, isItself = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => refer(item));
    if (typeof value !== 'object' || value === null) return value;
    const name = isItself ? undefined : names.get(keyOf(value));
    if (name !== undefined) {
      const { description } = value as Schema;
      return { $ref: `#/components/schemas/${name}`, ...(description === undefined ? {} : { description }) };
    }
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [field, /^examples?$/.test(field) ? inner : refer(inner)]),
    );
  };
  const named = Object.fromEntries(Array.from(found, ([name, schema]) => [name, refer(schema, true)] as const));
  const referring = refer({ ...document, components: { ...components, schemas } }) as Document & Described;
  return {
    ...referring,
    components: { ...referring.components, schemas: { ...referring.components?.schemas, ...named } },
  };
}

/** What a schema demands, whatever it says of the place where it is used. */
function keyOf(schema: object): string {
  return JSON.stringify({ ...schema, description: undefined });
}

function schemaAt(schemas: Record<string, Schema>, place: string): Schema {
  const [component = '', ...steps] = place.split('.');
  const schema = steps.reduce<Schema | undefined>((outer, step) => {
    const { description } = outer ?? {}; // of a list, for its items
    if (step === '[]') return unlessNull(outer?.items && { description, ...outer.items });
    return /^\d$/.test(step) ? outer?.anyOf?.[Number(step)] : unlessNull(outer?.properties?.[step]);
  }, schemas[component]);
  if (!schema) throw new TypeError(`nothing is described at ${place}`);
  return schema;
}

/** The form of a field that is not null, unless it has several. The description of the field is its own. */
function unlessNull(schema: Schema | undefined): Schema | undefined {
  const forms = schema?.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  return forms.length === 1 ? { description: schema?.description, ...forms[0] } : schema;
}
