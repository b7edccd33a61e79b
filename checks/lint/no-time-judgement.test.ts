import { RuleTester } from 'oxlint/plugins-dev';
import { describe, it } from 'vitest';
import { noFixedSleep } from './no-fixed-sleep.ts';
import { noListOfParameters } from './no-list-of-parameters.ts';
import { noRealTime } from './no-real-time.ts';
import { noTimeJudgement } from './no-time-judgement.ts';
import { noUnseededRandom } from './no-unseeded-random.ts';

RuleTester.describe = describe;
RuleTester.it = it;

const tester = new RuleTester({ languageOptions: { sourceType: 'module', parserOptions: { lang: 'ts' } } });

const refused = (messageId: string, snippets: string[]) => snippets.map((code) => ({ code, errors: [{ messageId }] }));

tester.run('kinora/no-time-judgement', noTimeJudgement, {
  valid: [
    // Moments that are inputs of the code under test.
    'expect(await engine.jobsSince(new Date(Date.now() + 60_000))).toEqual([]);',
    'const now = Date.now(); expect(read(now - 1_000).at).toBe(now - 1_000);',
    'const now = Date.now(); expect(daysOf(now)).toEqual([now - 3 * dayMilliseconds]);',
    'expect(signWebhook(body, Date.now() - 3_600_000)).toBe("old");',
    'expect(body.expires_at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 600);',
    // The order of two events.
    'const a = performance.now(); await work(); const b = performance.now(); expect(b).toBeGreaterThan(a);',
    // Clocks that a test moves, and work.
    'expect(clock.now() - before).toBe(5_000);',
    'vi.useFakeTimers(); const a = Date.now(); await work(); expect(Date.now() - a).toBe(1_000);',
    'beforeEach(() => vi.useFakeTimers()); it("x", () => { const a = Date.now(); work(); expect(Date.now() - a).toBe(9); });',
    'const before = process.cpuUsage(); work(); expect(process.cpuUsage(before).user).toBeLessThan(1e6);',
    'const started = performance.now(); await work(); console.log(performance.now() - started); expect(1).toBe(1);',
    'let times = 0; times = times + 1; expect(times).toBeLessThan(5);',
    // No limit, the one limit, and limits that are inputs of the code under test.
    'it("ends", async () => { await work(3_000); });',
    'it.each([1_000, 2_000])("ends after %i", async (count) => expect(count).toBeGreaterThan(0));',
    'it("ends", { retry: 2 }, async () => {});',
    'await expect.poll(count, { interval: 20 }).toBe(3);',
    'await eventually("the end", isOver, { everyMilliseconds: 250 });',
    'import { hangLimitMilliseconds } from "./hang-limit.ts"; page.setDefaultTimeout(hangLimitMilliseconds);',
    'import { hangLimitMilliseconds } from "./hang-limit.ts"; it("ends", fn, 2 * hangLimitMilliseconds);',
    'const soon = { timeout: 5_000 }; await expect.poll(count, { ...soon, timeout: hangLimitMilliseconds }).toBe(3);',
    'await fetcher.fetch(url, { timeoutMilliseconds: 5_000 }); expect(box.run({ timeout: 300 })).toBe(1);',
    'await Promise.race([first.then(() => 1), second.then(() => 2)]);',
    'await Promise.race([child.exited.then(() => sleep(200)), aborted]);',
    'globalThis.setTimeout(finish, 20); const timer = setTimeout(finish, 20);',
    'import { hangLimitMilliseconds } from "./hang-limit.ts"; socket.setTimeout(hangLimitMilliseconds, finish);',
    'import { hangLimitMilliseconds } from "./hang-limit.ts"; fetch(url, { signal: AbortSignal.timeout(hangLimitMilliseconds / 10) });',
    'const send = (timeoutMilliseconds: number) => fetch(url, { signal: AbortSignal.timeout(timeoutMilliseconds) });',
    'vi.setConfig({ restoreMocks: true });',
    'const wait = (limits: Limits) => becomesTrueWithin(limits.seconds * 1000, isOver);',
  ],
  invalid: [
    ...refused('elapsed', [
      'const before = performance.now(); await work(); expect(performance.now() - before).toBeLessThan(100);',
      'const before = Date.now(); await work(); const took = (Date.now() - before) / 1000; expect(took).toBeLessThan(5);',
      'const t = process.hrtime(); work(); expect(process.hrtime(t)).toEqual([0, 0]);',
      'const t = process.hrtime.bigint(); work(); expect(Number(process.hrtime.bigint() - t)).toBeLessThan(5e9);',
      'expect(Math.abs(task.created_at - Date.now() / 1000)).toBeLessThan(60);',
      'expect(Math.abs(file.modifiedAt.getTime() - new Date().getTime())).toBeLessThan(60_000);',
      'let fastest = Infinity; const at = performance.now(); fastest = Math.min(fastest, performance.now() - at); expect(fastest).toBeLessThan(9);',
      'const times = []; const at = performance.now(); times.push(performance.now() - at); expect(Math.max(...times)).toBeLessThan(9);',
      'const times: number[] = []; const at = Date.now(); times.push(Date.now() - at); expect(times.toSorted(ascending)[4]).toBeLessThan(9);',
      'const times: number[] = []; const at = Date.now(); times.push(Date.now() - at); for (const one of times) expect(one).toBeLessThan(9);',
      'const at = Date.now(); const slow = get().then(({ code }) => ({ code, after: Date.now() - at })); const { after } = await slow; expect(after).toBeLessThan(9);',
      'async function timed(f) { const at = performance.now(); const result = await f(); return { result, milliseconds: performance.now() - at }; } const { milliseconds } = await timed(work); expect(milliseconds).toBeLessThan(9);',
      'const [, took] = await Promise.all([work(), timed()]); async function timed() { const at = Date.now(); return Date.now() - at; } expect(took).toBeLessThan(9);',
      'const times: number[] = []; const at = Date.now(); times.push(Date.now() - at); expect(median(times)).toBeLessThan(9);',
      'it("a", () => { vi.useFakeTimers(); }); it("b", () => { const a = Date.now(); work(); expect(Date.now() - a).toBe(9); });',
      'const deadline = Date.now() + 5_000; await work(); expect(Date.now()).toBeLessThan(deadline);',
      'const deadline = Date.now() + 5_000; await work(); expect(Date.now() < deadline).toBe(true);',
      'const at = performance.now(); await work(); expect(limit).toBeGreaterThan(performance.now() - at);',
      'const at = performance.now(); await work(); assert.ok(performance.now() - at < 100);',
      'const at = performance.now(); await expect.poll(() => performance.now() - at).toBeLessThan(100);',
    ]),
    ...refused('limit', [
      'it("ends", async () => {}, 30_000);',
      'test("ends", { timeout: 60_000 }, async () => {});',
      'it.each(cases)("%s ends", async () => {}, 30_000);',
      'describe("slow ones", { timeout: 20_000 }, () => {});',
      'beforeAll(async () => {}, 90_000);',
      'const limit = 2 * 30_000; afterEach(async () => {}, limit);',
      'function contract({ timeoutMilliseconds = 30_000 } = {}) { describe("x", { timeout: timeoutMilliseconds }, () => {}); }',
      'await expect.poll(count, { timeout: 10_000 }).toBe(3);',
      'const within = { timeout: 60_000, interval: 20 }; await expect.poll(count, within).toBe(3);',
      'const within = { timeout: 60_000 }; await expect.poll(count, { ...within, interval: 20 }).toBe(3);',
      'await eventually("the end", isOver, { timeoutMilliseconds: 240_000 });',
      'const minutes = (count: number) => ({ timeoutMilliseconds: count * 60_000 }); await eventually("x", isOver, minutes(3));',
      'const patienceSeconds = 20; await becomesTrueWithin(patienceSeconds * 1000, isOver);',
      'page.setDefaultTimeout(60_000);',
      'await page.locator("video").first().waitFor({ timeout: 120_000 });',
      'await page.waitForFunction(isOver, null, { timeout: 5_000 });',
      'await Promise.race([work(), pause(10)]);',
      'await fetch(url, { signal: AbortSignal.timeout(5_000) });',
      'const limit = 1_500; socket.setTimeout(limit, finish);',
      'test.setTimeout(60_000);',
      'vi.setConfig({ testTimeout: 60_000 });',
      'const limits = { hookTimeout: 60_000 }; vi.setConfig(limits);',
      'const late = sleep(5_000).then(() => "late"); await Promise.race([work(), late]);',
    ]),
    ...refused('ownLimit', [
      'await vi.waitFor(() => expect(count).toBe(3));',
      'await vi.waitFor(() => expect(count).toBe(3), { timeout: 60_000 });',
      'await vi.waitUntil(() => isOver);',
    ]),
  ],
});

tester.run('kinora/no-fixed-sleep', noFixedSleep, {
  valid: [
    'while (!isOver()) await pause(20);',
    'for (;;) { if (await isOver()) return; await new Promise((resolve) => setTimeout(resolve, 20)); }',
    'await pause(0);',
    'const wait = (milliseconds: number) => pause(milliseconds);',
    'setTimeout(() => response.end(), 100);',
    'socket.pause(); expect(schedule.delay(2)).toBe(300);',
  ],
  invalid: refused('sleep', [
    'await pause(20);',
    'const settleMilliseconds = 1_000; await sleep(settleMilliseconds);',
    'const settled = () => new Promise((resolve) => setTimeout(resolve, 5));',
    'await page.waitForTimeout(20);',
    'for (const one of all) it(one, async () => { await pause(20); });',
  ]),
});

tester.run('kinora/no-unseeded-random', noUnseededRandom, {
  valid: [
    'randomFor("crash/load").below(3);',
    'crypto.randomUUID();',
    'fc.assert(property, { seed: 3 });',
    'fc.assert(property, { seed: testSeed });',
    'const seededAt = Date.now(); const { seed } = readArguments();',
  ],
  invalid: refused('unseeded', [
    'Math.random();',
    'crypto.randomInt(5);',
    'randomInt(2 ** 32);',
    'crypto.getRandomValues(new Uint32Array(1));',
    'globalThis.crypto.getRandomValues(bytes);',
    'fc.assert(property, { seed: Date.now() });',
    'const seed = Date.now() % 1_000;',
    'const testSeed = Number(process.env.SEED ?? Date.now());',
    'fc.configureGlobal({ seed: new Date().getTime() });',
    'seededRandom(Date.now());',
    'const now = performance.now(); randomFor(`crash ${now}`);',
  ]),
});

tester.run('kinora/no-real-time', noRealTime, {
  valid: [
    'await clock.wait(1_000, signal);',
    'const stop = clock.every(2_000, heartbeat);',
    'engine.submit(request, clock.deadline(10_000));',
    'new Date(clock.now().getTime() + 1_000);',
    'const id = random.uuid(); random.bytes(16);',
    'import { createHash } from "node:crypto"; createHash("sha256");',
  ],
  invalid: [
    ...refused('time', [
      'setTimeout(work, 1_000);',
      'const timer = setInterval(work, 1_000);',
      'new Promise((resolve) => setImmediate(resolve));',
      'AbortSignal.timeout(10_000);',
      'const now = performance.now();',
      'Date.now();',
      'const now = new Date();',
      'import { setTimeout as pause } from "node:timers/promises";',
    ]),
    ...refused('chance', ['Math.random();', 'randomUUID();', 'crypto.randomUUID();', 'randomBytes(16);']),
  ],
});

tester.run('kinora/no-list-of-parameters', noListOfParameters, {
  valid: [
    "const anyOf = (ids) => ids; query.where('id', '=', anyOf(ids));",
    "const old = db.selectFrom('t').select('id').limit(5); db.deleteFrom('t').where('id', 'in', old);",
    "import { activeStatuses } from './task.ts'; query.where('status', 'in', activeStatuses);",
  ],
  invalid: refused('list', [
    "const remove = (ids) => query.where('id', 'in', ids);",
    "const remove = (ids) => { const uuids = ids.map(toUuid); return query.where('id', 'not in', uuids); };",
    "query.where('id', 'in', ids.map((id) => toUuid('task', id)));",
  ]),
});
