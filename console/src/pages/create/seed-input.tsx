import { Dices, Lock, LockOpen } from 'lucide-react';
import { IconButton } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { Field, inputClasses } from '../../design/field.tsx';

/** The seed with dice and a lock. */
export function SeedInput({
  seed,
  isLocked,
  onChange,
  onRoll,
  onLock,
  problem,
}: {
  seed: number;
  isLocked: boolean;
  onChange: (seed: number) => void;
  onRoll: () => void;
  onLock: (isLocked: boolean) => void;
  problem: string | undefined;
}) {
  return (
    <Field
      label="Seed"
      hint={isLocked ? 'Locked: the same request makes the same video.' : 'A new seed after every video.'}
      problem={problem}
    >
      {(ids) => (
        <div className="flex gap-1">
          <input
            {...ids}
            inputMode="numeric"
            value={seed}
            onChange={(event) => {
              const next = Number(event.target.value.replaceAll(/\D/g, ''));
              if (Number.isSafeInteger(next)) onChange(next);
            }}
            className={classes(inputClasses, 'h-8 min-w-0 font-mono text-small')}
          />
          <IconButton label="New random seed" onClick={onRoll}>
            <Dices />
          </IconButton>
          <IconButton
            label={isLocked ? 'Unlock the seed' : 'Lock the seed'}
            aria-pressed={isLocked}
            onClick={() => onLock(!isLocked)}
            className={isLocked ? 'text-accent' : ''}
          >
            {isLocked ? <Lock /> : <LockOpen />}
          </IconButton>
        </div>
      )}
    </Field>
  );
}
