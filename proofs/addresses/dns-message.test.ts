import { expect, test } from 'vitest';
import { readQuestion, writeReply } from './dns-message.ts';

/** A query for the A records of WWW.test, as a resolver sends it. */
const query = Buffer.from('abcd010000010000000000000357575704746573740000010001', 'hex');

test('a DNS question is read into a name in lower case', () => {
  expect(readQuestion(query)).toMatchObject({ id: 0xabcd, name: 'www.test', type: 'A' });
  expect(readQuestion(query.subarray(0, 20))).toBeNull();
});

test('a DNS reply holds the chain of aliases and only the addresses of the requested family', () => {
  const question = readQuestion(query);
  if (!question) throw new Error('the query was not read');
  const reply = writeReply(question, { status: 'ok', aliases: ['a.test'], addresses: ['10.0.0.1', '::1', '10.0.0.2'] });
  expect(reply.readUInt16BE(6)).toBe(3);
  expect(reply.includes(Buffer.from([0, 4, 10, 0, 0, 1]))).toBe(true);
  expect(reply.includes(Buffer.from([0, 4, 10, 0, 0, 2]))).toBe(true);
  expect(reply.includes(Buffer.from([0, 16, 0, 0]))).toBe(false);
});
