import type { Model } from '@kinora/sdk';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { span } from '../terminal/clock.ts';
import { type Column, renderTable } from '../terminal/table.ts';

/** Adds `kinora models`, which shows what each model can do. */
export function addModels(program: Command, context: () => Context): void {
  program
    .command('models')
    .description('list the models and what they can do')
    .action(async () => {
      const { kinora, print, isJson, columns } = context();
      const models = (await (await kinora()).models.list()).data;
      if (isJson) for (const model of models) print('', model);
      else print(models.length > 0 ? renderModels(models, columns) : 'The service has no models.', models);
    });
}

/** Renders one row per model. A column that would be empty for every model is left out. */
export function renderModels(models: readonly Model[], terminalWidth?: number): string {
  const columns: [Column, (model: Model) => string][] = [
    [{ title: 'model' }, ({ id, is_default: isDefault }) => (isDefault ? `${id} (default)` : id)],
    [{ title: 'available' }, ({ available }) => (available ? 'yes' : 'no')],
    [
      { title: 'from', leftOut: 5 },
      ({ capabilities: { types } }) => types.map((type) => type.replace('_to_video', '')).join(', '),
    ],
    [{ title: 'resolutions', leftOut: 6 }, ({ capabilities }) => capabilities.resolutions.join(', ')],
    [{ title: 'seconds', leftOut: 7 }, ({ capabilities: { durations } }) => `${durations.min} to ${durations.max}`],
    [{ title: 'fps', leftOut: 2 }, ({ capabilities }) => String(capabilities.fps)],
    [{ title: 'takes', leftOut: 3 }, speedOf],
    [{ title: 'cost per second', leftOut: 4 }, priceOf],
    [{ title: 'aliases', shrinksTo: 12, leftOut: 1 }, ({ aliases }) => aliases.join(', ')],
  ];
  const used = columns.filter(([, cell]) => models.some((model) => cell(model) !== ''));
  return renderTable(
    used.map(([column]) => column),
    models.map((model) => used.map(([, cell]) => cell(model) || '–')),
    terminalWidth,
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
