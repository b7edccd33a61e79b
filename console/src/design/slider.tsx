import { Field } from './field.tsx';

/** A whole number within a range. */
export function Slider({
  label,
  value,
  onChange,
  smallest,
  largest,
  unit,
  problem,
}: {
  label: string;
  value: number;
  onChange: (value: number) => void;
  smallest: number;
  largest: number;
  unit: string;
  problem?: string | null | undefined;
}) {
  return (
    <Field label={label} problem={problem}>
      {(ids) => (
        <div className="flex h-8 items-center gap-3">
          <input
            {...ids}
            type="range"
            min={smallest}
            max={largest}
            step={1}
            value={value}
            aria-valuetext={`${value} ${unit}`}
            onChange={(event) => onChange(Number(event.target.value))}
            className="h-1 min-w-0 grow cursor-pointer accent-accent"
          />
          <output htmlFor={ids.id} className="w-10 text-right font-mono">
            {value} {unit}
          </output>
        </div>
      )}
    </Field>
  );
}
