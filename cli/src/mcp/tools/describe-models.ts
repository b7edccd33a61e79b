import type { Model } from '@kinora/sdk';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { contract } from '../../generated/contract.ts';
import { defineTool } from '../define-tool.ts';
import { inputSchema } from '../input-schema.ts';

/** Describes what each model can do. */
export const describeModels = defineTool<Record<string, never>>({
  name: 'describe_models',
  title: 'Describe the models',
  description:
    'What each model can do: text or image to video, resolutions, aspect ratios, durations, whether negative_prompt has an ' +
    'effect, how long it takes, what it costs, whether it is available. Without `model` generate_video takes the first one ' +
    'that can do the request, so this is only needed to choose one or to tell the user.',
  annotations: { readOnlyHint: true, openWorldHint: false },
  inputSchema: inputSchema<Record<string, never>>({}, []),
  outputSchema: fromJsonSchema({
    type: 'object',
    required: ['models'],
    properties: { models: { type: 'array', items: contract.model } },
  }),
  async run(kinora) {
    const { data: models } = await kinora.models.list();
    return {
      content: [{ type: 'text', text: models.map(paragraphOf).join('\n\n') }],
      structuredContent: { models },
    };
  },
});

function paragraphOf({
  id,
  is_default: isDefault,
  available,
  description,
  capabilities,
  price,
  speeds,
}: Model): string {
  const { types, resolutions, aspect_ratios: ratios, durations, fps, negative_prompt: takesNegative } = capabilities;
  const prices = Object.entries(price?.per_second ?? {}).map(([size, amount]) => `${size} ${amount}`);
  return [
    `${id}${isDefault ? ' (default)' : ''}${available ? '' : ' (not available now: tasks would wait)'}: ${description}`,
    `  makes ${types.join(' and ')}, ${resolutions.join(', ')}, ${ratios.join(', ')}`,
    `  ${durations.min} to ${durations.max} seconds at ${fps} frames a second; negative_prompt ${takesNegative ? 'works' : 'is ignored'}`,
    ...speeds.map(
      (speed) =>
        `  ${speed.duration} s at ${speed.resolution} took ${speed.p50_seconds} s, nine of ten at most ${speed.p90_seconds} s`,
    ),
    ...(price ? [`  price of a second in ${price.currency}: ${prices.join(', ')}`] : []),
  ].join('\n');
}
