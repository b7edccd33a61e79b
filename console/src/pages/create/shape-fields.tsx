import type { Model } from '@kinora/sdk';
import { Group } from '../../design/field.tsx';
import { formatMoney } from '../../design/format.ts';
import { Segments } from '../../design/segments.tsx';
import { Select } from '../../design/select.tsx';
import { Slider } from '../../design/slider.tsx';
import { type CreateForm, fitToOffer, type Offer, offerOf, rollSeed } from './create-form.ts';
import type { Resolution } from './create-search.ts';
import type { AspectRatio } from './image-fit.ts';
import { RatioPicker } from './ratio-picker.tsx';
import { SeedInput } from './seed-input.tsx';

const counts = ['1', '2', '3', '4'] as const;

/** Everything of the form below the prompt and the image. It offers only what the chosen model can do. */
export function ShapeFields({
  form,
  change,
  models,
  offer,
  ratio,
  problemOf,
}: {
  form: CreateForm;
  change: (changes: Partial<CreateForm>) => void;
  models: readonly Model[];
  offer: Offer;
  ratio: AspectRatio;
  problemOf: (param: string) => string | undefined;
}) {
  return (
    <div className="grid grid-cols-2 gap-x-4 gap-y-4">
      <Select
        label="Model"
        className="col-span-2"
        value={form.model}
        options={[
          { value: '', label: 'Automatic', note: 'the first suitable model' },
          ...models.map((model) => ({ value: model.id, label: model.name, note: noteOf(model) })),
          // A link may name an alias, or a model that is gone.
          ...(form.model === '' || models.some(({ id }) => id === form.model)
            ? []
            : [{ value: form.model, label: form.model }]),
        ]}
        onChange={(model) => change(fitToOffer({ ...form, model }, offerOf(models, model)))}
        hint={models.find(({ id }) => id === form.model)?.description}
        problem={problemOf('model')}
      />
      <div className="col-span-2">
        <RatioPicker
          options={offer.aspectRatios}
          value={ratio}
          nearest={form.aspectRatio === null && form.image !== null ? ratio : null}
          onChange={(aspectRatio) => change({ aspectRatio })}
          problem={problemOf('aspect_ratio')}
        />
      </div>
      <Group label="Resolution" problem={problemOf('resolution')}>
        <Segments<Resolution>
          label="Resolution"
          value={form.resolution}
          options={offer.resolutions.map((one) => ({ value: one, label: one }))}
          onChange={(resolution) => change({ resolution })}
        />
      </Group>
      <Slider
        label="Duration"
        value={form.durationSeconds}
        smallest={offer.shortestSeconds}
        largest={offer.longestSeconds}
        unit="s"
        onChange={(durationSeconds) => change({ durationSeconds })}
        problem={problemOf('duration')}
      />
      <SeedInput
        seed={form.seed}
        isLocked={form.isSeedLocked}
        onChange={(seed) => change({ seed, isSeedLocked: true })}
        onRoll={() => change({ seed: rollSeed() })}
        onLock={(isSeedLocked) => change({ isSeedLocked })}
        problem={problemOf('seed')}
      />
      <Group label="Variations" hint={form.count > 1 ? 'One task per seed.' : 'Different seeds, side by side.'}>
        <Segments
          label="Variations"
          value={String(form.count) as (typeof counts)[number]}
          options={counts.map((count) => ({ value: count, label: count }))}
          onChange={(count) => change({ count: Number(count) })}
        />
      </Group>
    </div>
  );
}

function noteOf({ available, price }: Model): string {
  if (!available) return 'no engine available';
  const amounts = Object.values(price?.per_second ?? {}).map(Number);
  return price && amounts.length > 0 ? `from ${formatMoney(Math.min(...amounts), price.currency)} per second` : '';
}
