import { expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { validEnvironment } from '../config/valid-environment.fixture.ts';
import { consoleOrigins } from './console-origins.ts';

const valid = {
  ...validEnvironment,
  KINORA_CONSOLE_URL: 'https://console.example.com',
  KINORA_PUBLIC_URL: 'https://video.example.com',
};

test('in production, only pages of the console itself may call the API without being listed', () => {
  expect(consoleOrigins(readConfig(valid))).toEqual(['https://console.example.com']);
  expect(consoleOrigins(readConfig({ ...valid, KINORA_ENV: 'development' }))).toEqual([
    'https://console.example.com',
    'http://127.0.0.1:5173',
  ]);
});
