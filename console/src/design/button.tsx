import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { classes } from './classes.ts';

type Look = 'primary' | 'plain' | 'quiet' | 'danger' | 'film';

const looks: Record<Look, string> = {
  primary: 'bg-accent text-accent-ink hover:brightness-110',
  plain: 'border border-line-strong bg-raised hover:bg-raised-more',
  quiet: 'text-quiet hover:bg-raised-more hover:text-ink',
  danger: 'border border-failed text-failed hover:bg-failed-soft',
  // On a picture, which is dark in both themes.
  film: 'text-film hover:bg-film/20',
};

/** The look of a button, for links that stand for one. */
export function buttonClasses(look: Look = 'plain', className?: string): string {
  return classes(
    'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-box px-3 font-medium whitespace-nowrap transition-colors duration-150',
    'disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
    looks[look],
    className,
  );
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  isBusy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = 'plain', isBusy = false, className, disabled, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      aria-busy={isBusy}
      className={buttonClasses(look, className)}
    >
      {children}
    </button>
  );
}

/** A link that looks like a button: it leads to an address of the server rather than to a page. */
export function LinkButton({
  look = 'plain',
  className,
  children,
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string; look?: Look }) {
  return (
    <a {...rest} className={buttonClasses(look, className)}>
      {children}
    </a>
  );
}

/** A button that shows only an icon; its label is read aloud and shown on hover. */
export function IconButton({
  label,
  children,
  look = 'quiet',
  className,
  ...rest
}: ButtonProps & { label: string; children: ReactNode }) {
  return (
    <Button title={label} {...rest} look={look} aria-label={label} className={classes('w-8 px-0', className)}>
      {children}
    </Button>
  );
}
