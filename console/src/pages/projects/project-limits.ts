import type { ManagedProject, ProjectChange, ProjectLimits } from '../../api/all-projects.ts';

const bytesPerGigabyte = 1e9;

export interface LimitField {
  name: keyof ProjectLimits;
  label: string;
  /** A short text that says what the limit counts. */
  hint: string;
  minimum: number;
  step: number | 'any';
}

export const limitFields: readonly LimitField[] = [
  { name: 'running_limit', label: 'Running tasks', hint: 'At once, in each mode.', minimum: 0, step: 1 },
  { name: 'waiting_limit', label: 'Waiting tasks', hint: 'In each mode. More are refused.', minimum: 0, step: 1 },
  {
    name: 'creates_per_minute',
    label: 'Creates per minute',
    hint: 'Requests for videos.',
    minimum: 1,
    step: 1,
  },
  { name: 'reads_per_minute', label: 'Reads per minute', hint: 'All other requests.', minimum: 1, step: 1 },
  {
    name: 'storage_limit_bytes',
    label: 'Storage in GB',
    hint: 'Of videos and uploads, in each mode.',
    minimum: 0.001,
    step: 'any',
  },
  { name: 'files_limit', label: 'Uploaded files', hint: 'Stored at once, in each mode.', minimum: 0, step: 1 },
  {
    name: 'weight',
    label: 'Weight',
    hint: 'Its share of busy engines, relative to other projects.',
    minimum: 0.001,
    step: 'any',
  },
];

export type LimitTexts = Record<keyof ProjectLimits, string>;

/** Returns the limits as people write them. */
export function textsOf(project: ProjectLimits): LimitTexts {
  const text = (name: keyof ProjectLimits) =>
    String(name === 'storage_limit_bytes' ? project[name] / bytesPerGigabyte : project[name]);
  return Object.fromEntries(limitFields.map(({ name }) => [name, text(name)])) as LimitTexts;
}

/** Returns what is wrong with a text; null if it is a limit. */
export function problemOfLimit({ minimum, step }: LimitField, text: string): string | null {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return 'Enter a number.';
  if (value < minimum) return `At least ${minimum}.`;
  return step === 1 && !Number.isInteger(value) ? 'Enter a whole number.' : null;
}

/** Returns only what differs from the project, so that others' changes in the meantime stay. */
export function changeOf(project: ManagedProject, name: string, texts: LimitTexts): ProjectChange {
  const before = textsOf(project);
  const limits = limitFields
    .filter((field) => texts[field.name] !== before[field.name])
    .map((field) => {
      const value = Number(texts[field.name]);
      return [field.name, field.name === 'storage_limit_bytes' ? Math.round(value * bytesPerGigabyte) : value];
    });
  return { ...(name === project.name ? {} : { name }), ...Object.fromEntries(limits) };
}
