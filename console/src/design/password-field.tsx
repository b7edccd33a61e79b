import { Eye, EyeOff } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { IconButton } from './button.tsx';
import { classes } from './classes.ts';
import { Field, inputClasses, type TextInputProps } from './field.tsx';

interface PasswordFieldProps extends Omit<TextInputProps, 'type' | 'className'> {
  label: string;
  hint?: ReactNode;
  problem?: string | null | undefined;
}

/** A password. A button shows it as text. */
export function PasswordField({ label, hint, problem, onChange, ...rest }: PasswordFieldProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(ids) => (
        <div className="relative">
          <input
            {...ids}
            {...rest}
            onChange={(event) => onChange(event.target.value)}
            type={isShown ? 'text' : 'password'}
            spellCheck={false}
            autoCapitalize="none"
            className={classes(inputClasses, 'h-8 pr-9', isShown && 'font-mono')}
          />
          <IconButton
            label={isShown ? 'Hide the password' : 'Show the password'}
            aria-pressed={isShown}
            className="absolute top-0 right-0"
            onClick={() => setIsShown(!isShown)}
          >
            {isShown ? <EyeOff /> : <Eye />}
          </IconButton>
        </div>
      )}
    </Field>
  );
}
