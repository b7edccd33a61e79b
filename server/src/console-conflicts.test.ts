import { expect, test } from 'vitest';
import { conflictsOfConsole } from './console-conflicts.ts';

const api = 'https://video.example.com';
const problemsOf = (KINORA_CONSOLE_URL: string) => conflictsOfConsole({ KINORA_CONSOLE_URL, KINORA_PUBLIC_URL: api });

test('the console needs an origin of its own', () => {
  expect(problemsOf('https://console.example.com')).toEqual([]);
  expect(problemsOf('https://video.example.com:8443/')).toEqual([]);
  expect(problemsOf('https://video.example.com/')).toEqual([expect.stringContaining('another host or port')]);
  expect(problemsOf('https://console.example.com/kinora')).toEqual([expect.stringContaining('no path')]);
});
