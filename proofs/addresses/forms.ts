import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Address, readAddress, readBlock, writeAddress, writeIPv4 } from './address.ts';
import { ipv4Registry, ipv6Registry, multicastBlocks, refusedByOurselves } from './registries.ts';

/**
 * A hostile URL. `forbidden`: it names an address that is not public, or a name of one. `unfit`: it is not a URL, or
 * has a scheme, user info or a port that Kinora never fetches. `harmless`: odd, but it leads to a public host without
 * the page.
 */
export interface Form {
  group: string;
  url: string;
  verdict: 'forbidden' | 'unfit' | 'harmless';
  /** The address in the URL, which a case also puts into a DNS reply; null if the URL has none. */
  address: string | null;
}

/** Returns the corpus and the generated forms without duplicates. */
export function allForms(): Form[] {
  const forms = [...corpusForms(), ...spelledForms(), ...hiddenForms(), ...edgeForms(), ...confusedForms()];
  return [...new Map(forms.map((form) => [form.url, form])).values()];
}

interface CorpusLine {
  group: string;
  url: string;
  /** How a WHATWG parser read the URL: `host=… user=… range=…`, `scheme …` or `throws`. */
  parsed: string;
}

function corpusForms(): Form[] {
  return readFileSync(join(import.meta.dirname, 'hostile-urls.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      // The file belongs to this proof and has this shape.
      const { group, url, parsed } = JSON.parse(line) as CorpusLine;
      return { group, url, ...readParsed(parsed) };
    });
}

function readParsed(parsed: string): Pick<Form, 'verdict' | 'address'> {
  const host = /host=(\S+)/.exec(parsed)?.[1];
  const literal = parsed.includes('range=') && host ? host.replace(/^\[|\]$/g, '') : null;
  if (!host || parsed.includes('user=')) return { verdict: 'unfit', address: literal === '2.2.2.2' ? null : literal };
  if (host === publicName) return { verdict: 'harmless', address: null };
  // Only the port of a public name is wrong; every other name leads to an internal address.
  if (host.startsWith(`${publicName}:`)) return { verdict: 'unfit', address: null };
  return { verdict: 'forbidden', address: literal };
}

/** The only name of the corpus that resolves to a public address. */
export const publicName = 'example.com';

/** The addresses that attackers want to reach: loopback, metadata services, private networks. */
const targets = [
  '127.0.0.1',
  '169.254.169.254',
  '10.0.0.5',
  '172.17.0.1',
  '192.168.1.1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
];

const fullWidth = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

function spelledForms(): Form[] {
  return targets.flatMap((target) => {
    const { value } = readAddress(target);
    const parts = target.split('.').map(Number);
    const [first = 0, second = 0] = parts;
    const hosts = [
      target,
      `${target}.`,
      String(value),
      `0x${value.toString(16)}`,
      `0${value.toString(8)}`,
      parts.map((part) => `0x${part.toString(16)}`).join('.'),
      parts.map((part) => `0${part.toString(8)}`).join('.'),
      `${first}.${value & 0xff_ffffn}`,
      `${first}.${second}.${value & 0xffffn}`,
      `0x${first.toString(16)}.0${(value & 0xff_ffffn).toString(8)}`,
      fullWidth(target),
      target.replaceAll('.', '。'),
      target.replace(/\d/, (digit) => `%3${digit}`),
    ];
    return hosts.map((host, index) => form('spelled', `${scheme(index)}://${host}/latest/`, target));
  });
}

function hiddenForms(): Form[] {
  return targets.flatMap((target) => {
    const { value } = readAddress(target);
    const [high, low] = [(value >> 16n).toString(16), (value & 0xffffn).toString(16)];
    const flipped = value ^ 0xffff_ffffn;
    const hosts = [
      `::ffff:${target}`,
      `0:0:0:0:0:FFFF:${high}:${low}`,
      `::${target}`,
      `::ffff:0:${target}`,
      `64:ff9b::${target}`,
      `64:ff9b:1::${target}`,
      `2002:${high}:${low}::1`,
      `2606:4700::5efe:${target}`,
      `2001:0:4136:e378:8000:63bf:${(flipped >> 16n).toString(16)}:${(flipped & 0xffffn).toString(16)}`,
    ];
    return hosts.map((host, index) => form('hidden in IPv6', `${scheme(index)}://[${host}]/`, host));
  });
}

function edgeForms(): Form[] {
  const blocks = [
    ...[...ipv4Registry, ...ipv6Registry].map(({ block }) => block),
    ...multicastBlocks,
    ...refusedByOurselves,
  ];
  return blocks.flatMap((block, index) => {
    const { family, first, last } = readBlock(block);
    return [first, last].map((value) => {
      const text = writeAddress({ family, value });
      return form('edges of blocks', `${scheme(index)}://${bracketed({ family, value })}/`, text);
    });
  });
}

function confusedForms(): Form[] {
  const unfit = (url: string, address: string): Form => ({ group: 'confused', url, verdict: 'unfit', address });
  return targets.flatMap((target, index) => [
    unfit(`${scheme(index)}://${publicName}@${target}/`, target),
    unfit(`${scheme(index)}://user:pass@${target}:80/`, target),
    form('confused', `${scheme(index)}://${target}\\@${publicName}/`, target),
    form('confused', `${scheme(index)}://${target}#@${publicName}/`, target),
    form('confused', `${scheme(index)}:${target}/`, target),
    form('confused', `\t${scheme(index)}://${target}:8080/\n`, target),
    unfit(`gopher://${target}:6379/_INFO`, target),
    unfit(`${scheme(index)}://${target}:22/`, target),
  ]);
}

function form(group: string, url: string, address: string): Form {
  return { group, url, verdict: 'forbidden', address };
}

function scheme(index: number): string {
  return index % 2 === 0 ? 'http' : 'https';
}

function bracketed({ family, value }: Address): string {
  return family === 4 ? writeIPv4(value) : `[${writeAddress({ family, value })}]`;
}
