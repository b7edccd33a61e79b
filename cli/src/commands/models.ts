import type { Model } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { span } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

/** Adds `kinora models`, which shows what each model can do. */
export function addModels(program: Command, context: () => Context): void {
  program
    .command('models')
    .description('what the models of the service can do')
    .action(async () => {
      const { kinora, print, isJson } = context();
      const models = (await (await kinora()).models.list()).data;
      if (isJson) for (const model of models) print('', model);
      else print(models.length > 0 ? renderModels(models) : 'The service has no models.', models);
    });
}

/** Renders one row per model. A column that would be empty for every model is left out. */
export function renderModels(models: readonly Model[]): string {
  const columns: [string, (model: Model) => string][] = [
    ['model', ({ id, is_default: isDefault }) => (isDefault ? `${id} (default)` : id)],
    ['available', ({ available }) => (available ? 'yes' : 'no')],
    ['from', ({ capabilities: { types } }) => types.map((type) => type.replace('_to_video', '')).join(', ')],
    ['resolutions', ({ capabilities }) => capabilities.resolutions.join(', ')],
    ['seconds', ({ capabilities: { durations } }) => `${durations.min} to ${durations.max}`],
    ['fps', ({ capabilities }) => String(capabilities.fps)],
    ['takes', speedOf],
    ['a second costs', priceOf],
    ['also called', ({ aliases }) => aliases.join(', ')],
  ];
  const used = columns.filter(([, cell]) => models.some((model) => cell(model) !== ''));
  return renderTable(
    used.map(([name]) => name),
    models.map((model) => used.map(([, cell]) => cell(model) || '–')),
  );
}

/** Returns the median time of the duration and resolution with the most samples. */
function speedOf({ speeds }: Model): string {
  const [most] = speeds.toSorted((one, other) => other.samples - one.samples);
  return most ? `${span(most.p50_seconds)} for ${most.duration} s of ${most.resolution}` : '';
}

function priceOf({ price }: Model): string {
  if (price === null) return '';
  const amounts = Object.entries(price.per_second).map(([resolution, amount]) => `${resolution} ${amount}`);
  return `${amounts.join(', ')} ${price.currency}`;
}
