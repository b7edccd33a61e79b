import { classes } from '../../design/classes.ts';
import { PasswordField } from '../../design/password-field.tsx';
import { maximumPasswordLength, minimumPasswordLength, strengthOf } from './password-rules.ts';

/** A password that somebody chooses, with its strength in four steps and in words. */
export function NewPasswordField({
  label = 'Password',
  value,
  onChange,
  problem,
}: {
  label?: string;
  value: string;
  onChange: (value: string) => void;
  problem?: string | null;
}) {
  const { level, words } = strengthOf(value);
  return (
    <div>
      <PasswordField
        label={label}
        autoComplete="new-password"
        required
        minLength={minimumPasswordLength}
        maxLength={maximumPasswordLength}
        value={value}
        onChange={onChange}
        problem={problem}
        hint={words}
      />
      <div aria-hidden="true" className="mt-1.5 grid grid-cols-4 gap-1">
        {[1, 2, 3, 4].map((step) => (
          <span key={step} className={classes('h-0.5 rounded-round', level >= step ? 'bg-accent' : 'bg-raised-more')} />
        ))}
      </div>
    </div>
  );
}
