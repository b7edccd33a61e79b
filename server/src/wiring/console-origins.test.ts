import { expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { consoleOrigins } from './console-origins.ts';

const valid = {
  KINORA_CONSOLE_URL: 'https://console.example.com',
  KINORA_PUBLIC_URL: 'https://video.example.com',
  KINORA_SECRET_KEYS: 'q8Zr2LxV0bYt5NcK7wDf3HsJ9uMaEoPg',
  KINORA_DATABASE_URL: 'postgres://kinora@127.0.0.1:5432/kinora',
  KINORA_S3_ENDPOINT: 'http://127.0.0.1:7070',
};

test('in production, only pages of the console itself may call the API without being listed', () => {
  expect(consoleOrigins(readConfig(valid))).toEqual(['https://console.example.com']);
  expect(consoleOrigins(readConfig({ ...valid, KINORA_ENV: 'development' }))).toEqual([
    'https://console.example.com',
    'http://127.0.0.1:5173',
  ]);
});
