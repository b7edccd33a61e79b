// The least that a service with keys and durable tasks can do: Fastify, and a transaction with one key lookup and one
// insert, or one select, with named prepared statements. The benches compare Kinora with it. Takes the URL of its
// database as its argument, prints its port and serves until SIGTERM.
import { createHash, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.argv[2], max: 20, idleTimeoutMillis: 0 });
const app = fastify();

const findKey = { name: 'key', text: 'select project_id from api_keys where sha256 = $1' };
const insertTask = { name: 'insert', text: 'insert into tasks (id, project_id, body) values ($1, $2, $3)' };
const selectTask = { name: 'select', text: 'select id, project_id, body from tasks where id = $1' };

app.post('/tasks', async (request, reply) => {
  const sha256 = createHash('sha256').update(String(request.headers['x-key'])).digest();
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ project_id: string }>({ ...findKey, values: [sha256] });
    const [key] = rows;
    const id = randomUUID();
    if (key) await client.query({ ...insertTask, values: [id, key.project_id, JSON.stringify(request.body)] });
    await client.query('commit');
    if (!key) return reply.code(401).send({ error: 'unknown key' });
    return { id, project: key.project_id, ...(request.body as object) };
  } finally {
    client.release();
  }
});

app.get<{ Params: { id: string } }>('/tasks/:id', async ({ params }, reply) => {
  const { rows } = await pool.query<{ id: string; body: object }>({ ...selectTask, values: [params.id] });
  return rows[0] ? { id: rows[0].id, ...rows[0].body } : reply.code(404).send({ error: 'unknown task' });
});

console.log(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
process.once('SIGTERM', () => void app.close().then(() => pool.end()));
