/** Somebody's name and, below it, their e-mail address. */
export function PersonName({ name, email, isQuiet = false }: { name: string; email: string; isQuiet?: boolean }) {
  return (
    <div className={isQuiet ? 'text-quiet' : ''}>
      <div className="font-medium break-words">{name}</div>
      {name !== email && <div className="text-small break-all text-quiet">{email}</div>}
    </div>
  );
}
