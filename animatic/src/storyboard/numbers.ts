/** Numbers above one. The animatic draws one of everything, whatever a prompt counts. */
export const numbers: ReadonlySet<string> = new Set(
  'two three four five six seven eight nine ten eleven twelve twenty hundred thousand dozen couple pair'.split(' '),
);

/** Numbers that say no more than that there are several. */
export const vagueNumbers: ReadonlySet<string> = new Set(
  'few many several numerous countless dozens hundreds thousands'.split(' '),
);
