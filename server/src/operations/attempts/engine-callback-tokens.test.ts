import { describe, expect, it } from 'vitest';
import { strayId } from '../../domain/id.fixture.ts';
import { createEngineCallbackTokens } from './engine-callback-tokens.ts';

const oldKey = 'an old key of at least thirty-two characters';
const newKey = 'a new key of at least thirty-two characters';
const tokens = createEngineCallbackTokens([newKey, oldKey]);
const name = { taskId: strayId('task', new Date()), attempt: 2 };

describe('the token of an engine callback', () => {
  it('a token identifies the attempt that it was signed for', () => {
    expect(tokens.verify(tokens.sign(name))).toEqual(name);
  });

  it('a token signed with a key that is being replaced is valid; one signed with an unknown key is not', () => {
    expect(tokens.verify(createEngineCallbackTokens([oldKey]).sign(name))).toEqual(name);
    expect(tokens.verify(createEngineCallbackTokens([oldKey.toUpperCase()]).sign(name))).toBeNull();
  });

  it('a malformed or altered token, or one for another task or attempt, is refused', () => {
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
      `${strayId('task', new Date())}.${attempt}.${signature}`,
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
