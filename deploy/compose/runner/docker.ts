import { request } from 'node:http';

// A stand-in for the command `docker`: passes `docker compose …` to the engine whose socket KINORA_ENGINE_SOCKET names.
// The variables that compose files can use go with it.

const { KINORA_ENGINE_SOCKET: socketPath, ...environment } = process.env;
const [command, ...words] = process.argv.slice(2);
if (command !== 'compose' || socketPath === undefined) throw new Error('only `docker compose` works here');
const passed = Object.fromEntries(Object.entries(environment).filter(([name]) => /^(KINORA|COMPOSE)_/.test(name)));
const call = Buffer.from(JSON.stringify({ words, folder: process.cwd(), environment: passed })).toString('base64');
const sent = request({ socketPath, method: 'POST', headers: { 'x-call': call } }, (response) => {
  response.pipe(process.stdout, { end: false });
  response.on('end', () => {
    const { 'x-exit-code': exitCode = '1', 'x-errors': errors = '' } = response.trailers;
    const text = Buffer.from(errors, 'base64').toString();
    if (text !== '') process.stderr.write(`${text}\n`);
    // Standard input may still be open. What was written before is written out first.
    process.stdout.write('', () => process.exit(Number(exitCode)));
  });
});
// Otherwise they are sent with the first byte of standard input.
sent.flushHeaders();
if (words[0] === 'exec' || words[0] === 'run') process.stdin.pipe(sent);
else sent.end();
