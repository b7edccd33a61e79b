import { expect, test } from 'vitest';
import { describeBrowser } from './describe-browser.ts';

test('browsers are named as people know them', () => {
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko)';
  expect(describeBrowser(`${mac} Chrome/142.0.0.0 Safari/537.36`)).toBe('Chrome on macOS');
  expect(describeBrowser(`${mac} Chrome/142.0.0.0 Safari/537.36 Edg/142.0`)).toBe('Edge on macOS');
  expect(describeBrowser('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0')).toBe(
    'Firefox on Linux',
  );
  expect(describeBrowser('curl/8.5')).toBe('An unknown browser');
  expect(describeBrowser(null)).toBe('An unknown browser');
});
