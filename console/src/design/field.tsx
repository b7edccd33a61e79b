import { type InputHTMLAttributes, type ReactNode, type TextareaHTMLAttributes, useId } from 'react';
import { classes } from './classes.ts';

export const inputClasses =
  'w-full rounded-box border border-line-strong bg-ground px-2.5 text-ink placeholder:text-quiet ' +
  'disabled:opacity-60 aria-invalid:border-failed';

interface FieldProps {
  label: string;
  /** One sentence below the input. */
  hint?: ReactNode;
  problem?: string | null | undefined;
  children: (ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
  className?: string;
}

/** A label, an input, and below it what is wrong or what it means. */
export function Field({ label, hint, problem, children, className }: FieldProps) {
  const id = useId();
  const describedBy = problem || hint ? `${id}-about` : undefined;
  return (
    <div className={className}>
      <label htmlFor={id} className="mb-1 block text-small font-medium text-quiet">
        {label}
      </label>
      {children({ id, 'aria-describedby': describedBy, 'aria-invalid': Boolean(problem) })}
      {describedBy && (
        <p id={describedBy} className={classes('mt-1 text-small', problem ? 'text-failed' : 'text-quiet')}>
          {problem || hint}
        </p>
      )}
    </div>
  );
}

/** A label above something that is more than one input, such as a choice of segments that names itself. */
export function Group({ label, hint, problem, children, className }: GroupProps) {
  return (
    <div className={className}>
      <div className="mb-1 text-small font-medium text-quiet">{label}</div>
      <div className="flex">{children}</div>
      {(problem || hint) && (
        <p className={classes('mt-1 text-small', problem ? 'text-failed' : 'text-quiet')}>{problem || hint}</p>
      )}
    </div>
  );
}

type GroupProps = Omit<FieldProps, 'children'> & { children: ReactNode };

interface TextValue {
  value: string;
  onChange: (value: string) => void;
}

/** What an input of text takes: its changes come as texts, not as events. */
export type TextInputProps = Omit<InputHTMLAttributes<HTMLInputElement>, keyof TextValue> & TextValue;

type TextFieldProps = Omit<FieldProps, 'children'> & TextInputProps & { isMono?: boolean };

export function TextField({ label, hint, problem, className, isMono, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} problem={problem} {...(className ? { className } : {})}>
      {(ids) => (
        <input
          type="text"
          {...ids}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
          className={classes(inputClasses, 'h-8', isMono && 'font-mono')}
        />
      )}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, keyof TextValue> &
  TextValue;

export function TextArea({ label, hint, problem, className, onChange, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} problem={problem} {...(className ? { className } : {})}>
      {(ids) => (
        <textarea
          rows={3}
          {...ids}
          {...rest}
          onChange={(event) => onChange(event.target.value)}
          className={classes(inputClasses, 'resize-y py-1.5')}
        />
      )}
    </Field>
  );
}
