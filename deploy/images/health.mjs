// health.mjs SETTINGS PORT PATH: succeeds if a program of this container responds with 200. SETTINGS is the beginning of
// the names of the settings for its address, such as KINORA_PRIVATE; PORT is what it listens on without a setting.
import { get } from 'node:http';

const [settings, defaultPort, path] = process.argv.slice(2);
const host = process.env[`${settings}_HOST`] ?? '127.0.0.1';
const isEvery = host === '0.0.0.0' || host === '::';
const port = process.env[`${settings}_PORT`] ?? defaultPort;

const fail = (reason) => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};
get({ host: isEvery ? '127.0.0.1' : host, port, path, timeout: 4000 }, ({ statusCode }) => {
  if (statusCode !== 200) fail(`${path} responded with ${statusCode}`);
  process.exit(0);
})
  .on('timeout', () => fail(`${path} did not respond`))
  .on('error', ({ message }) => fail(message));
