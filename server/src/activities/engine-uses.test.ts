import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createEngineUses } from './engine-uses.ts';
import { createScriptedEngine } from './scripted-engine.fixture.ts';

it('an engine is closed once its last use has ended, and allows no new use after that', async () => {
  const engine = createScriptedEngine();
  let closes = 0;
  engine.close = async () => void (closes += 1);
  const uses = createEngineUses();
  const [first, second] = [uses.enter(engine), uses.enter(engine)];
  const closing = uses.closeWhenIdle(engine);
  first?.();
  await pause(0);
  expect(closes).toBe(0);
  second?.();
  await closing;
  expect(closes).toBe(1);
  expect(uses.enter(engine)).toBeNull();
});
