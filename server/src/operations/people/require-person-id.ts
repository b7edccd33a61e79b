import { uuidFromId } from '../../domain/id.ts';
import { AppError } from '../../errors.ts';

/** Refuses a text that is no person's id as if it were the id of nobody. */
export function requirePersonId(text: string): void {
  if (uuidFromId('person', text) === null) throw new AppError('not_found', { message: 'Person not found.' });
}
