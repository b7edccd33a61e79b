import { Type } from 'typebox';
import { longestEmail, longestName } from '../../domain/person.ts';

/** An address is only compared, so this refuses little: what is not ASCII before the host, or a space. */
export const emailSchema = Type.String({ pattern: '^[\\x21-\\x3f\\x41-\\x7e]+@[^\\s@]+$', maxLength: longestEmail });

export const nameSchema = Type.String({ minLength: 1, maxLength: longestName });
