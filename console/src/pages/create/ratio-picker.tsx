import { useId } from 'react';
import { classes } from '../../design/classes.ts';
import { type AspectRatio, ratioOf } from './image-fit.ts';

/** The area of each outline, so that no ratio looks larger than another. */
const area = 260;

/** The aspect ratios as outlines of their true shape. */
export function RatioPicker({
  options,
  value,
  nearest,
  onChange,
  problem,
}: {
  options: readonly AspectRatio[];
  value: AspectRatio;
  /** The ratio that was chosen for the image; null if the person chose one. */
  nearest: AspectRatio | null;
  onChange: (ratio: AspectRatio) => void;
  problem: string | undefined;
}) {
  const name = useId();
  return (
    <fieldset>
      <legend className="mb-1 text-small font-medium text-quiet">
        Aspect ratio{nearest ? ': nearest to the image' : ''}
      </legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map((ratio) => {
          const width = Math.sqrt(area * ratioOf(ratio));
          return (
            <label
              key={ratio}
              className={classes(
                'flex h-14 w-14 cursor-pointer flex-col items-center justify-between rounded-box border pt-2 pb-1 text-small',
                'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
                ratio === value
                  ? 'border-accent bg-raised-more text-ink'
                  : 'border-line-strong text-quiet hover:text-ink',
              )}
            >
              <input
                type="radio"
                name={name}
                checked={ratio === value}
                onChange={() => onChange(ratio)}
                className="sr-only"
              />
              <span className="flex h-6 items-center">
                <span
                  className={classes('rounded-[2px] border', ratio === value ? 'border-accent' : 'border-quiet')}
                  style={{ width, height: area / width }}
                />
              </span>
              {ratio}
            </label>
          );
        })}
      </div>
      {problem && <p className="mt-1 text-small text-failed">{problem}</p>}
    </fieldset>
  );
}
