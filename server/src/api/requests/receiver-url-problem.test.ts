import { expect, it } from 'vitest';
import { receiverUrlProblem } from './receiver-url-problem.ts';

it.each([
  ['scheme', 'KINORA_OUTBOUND_ALLOW_HTTP'],
  ['port', 'KINORA_OUTBOUND_ALLOWED_PORTS'],
  ['forbidden_address', 'KINORA_OUTBOUND_ALLOWED_NETWORKS'],
] as const)('a receiver refused for its %s is told of kinora listen and of %s', (reason, setting) => {
  const problem = receiverUrlProblem('http://localhost:3000/', 'url', () => reason);
  expect(problem?.message).toContain('`kinora listen`');
  expect(problem?.message).toContain(setting);
});
