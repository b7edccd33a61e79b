import { describe, expect, it } from 'vitest';
import { newId } from '../../domain/id.ts';
import { createEngineCallbackTokens } from './engine-callback-tokens.ts';

const oldKey = 'an old key of at least thirty-two characters';
const newKey = 'a new key of at least thirty-two characters';
const tokens = createEngineCallbackTokens([newKey, oldKey]);
const name = { taskId: newId('task', new Date()), attempt: 2 };

describe('the token of a callback', () => {
  it('speaks for exactly one attempt', () => {
    expect(tokens.verify(tokens.sign(name))).toEqual(name);
  });

  it('made with a key that is being replaced still counts; made with another it does not', () => {
    expect(tokens.verify(createEngineCallbackTokens([oldKey]).sign(name))).toEqual(name);
    expect(tokens.verify(createEngineCallbackTokens([oldKey.toUpperCase()]).sign(name))).toBeNull();
  });

  it('counts in no other form, and for no other task or attempt', () => {
    const token = tokens.sign(name);
    const [taskId = '', attempt = '', signature = ''] = token.split('.');
    const last = signature.at(-1) === 'A' ? 'B' : 'A';
    for (const forged of [
      '',
      '..',
      `${taskId}.${attempt}`,
      `${taskId}.${attempt}.`,
      `${taskId}.3.${signature}`,
      `${taskId}.02.${signature}`,
      `${taskId}.-2.${signature}`,
      `${newId('task', new Date())}.${attempt}.${signature}`,
      `${taskId}.${attempt}.${signature.slice(0, -1)}${last}`,
      `${taskId}.${attempt}.${'A'.repeat(43)}`,
      `${token} `,
      `${token}=`,
      token.toUpperCase(),
      `task_${'z'.repeat(26)}.1.${signature}`,
    ])
      expect(tokens.verify(forged)).toBeNull();
  });
});
