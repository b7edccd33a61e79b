import type { Random } from '@kinora/stack/harness/seeded-random';
import { type Address, type Block, groupsOf, paddedGroupsOf, readBlock, writeAddress, writeIPv4 } from './address.ts';
import {
  globalUnicastBlock,
  ipv4Registry,
  ipv6Registry,
  mappedBlock,
  multicastBlocks,
  refusedByOurselves,
} from './registries.ts';

const registered = [...ipv4Registry, ...ipv6Registry].map(({ block }) => block);
const blocks = [...registered, ...multicastBlocks, ...refusedByOurselves, globalUnicastBlock, mappedBlock].map(
  readBlock,
);
const spaceOf: Record<4 | 6, Block> = { 4: readBlock('0.0.0.0/0'), 6: readBlock('::/0') };
const globalUnicast = readBlock(globalUnicastBlock);
const widestStep = 4;

/** The places where a classifier may err: anywhere, in and around each block, and in IPv6 addresses that embed IPv4. */
const strata: readonly ((random: Random) => Address)[] = [
  (random) => within(random, spaceOf[4]),
  (random) => within(random, spaceOf[4]),
  (random) => within(random, spaceOf[6]),
  (random) => within(random, globalUnicast),
  (random) => within(random, globalUnicast),
  (random) => within(random, random.pick(blocks)),
  (random) => besideEdge(random, random.pick(blocks)),
  (random) => besideEdge(random, random.pick(blocks)),
  (random) => hidden(random),
  (random) => hidden(random),
];

export function randomAddress(random: Random): Address {
  return random.pick(strata)(random);
}

/** Writes an address in one of the spellings that a parser must treat alike. */
export function spell(random: Random, address: Address): string {
  return address.family === 4 ? writeIPv4(address.value) : random.pick(spellings)(address.value);
}

const spellings: readonly ((value: bigint) => string)[] = [
  (value) => writeAddress({ family: 6, value }),
  (value) => writeAddress({ family: 6, value }),
  (value) => groupsOf(value).join(':'),
  (value) => paddedGroupsOf(value).join(':'),
  (value) => paddedGroupsOf(value).join(':').toUpperCase(),
  (value) => `${groupsOf(value).slice(0, 6).join(':')}:${writeIPv4(value & 0xffff_ffffn)}`,
];

function within(random: Random, { family, first, last }: Block): Address {
  const span = last - first + 1n;
  return { family, value: first + (random.bits(128) % span) };
}

function besideEdge(random: Random, { family, first, last }: Block): Address {
  const step = BigInt(random.below(2 * widestStep + 1) - widestStep);
  const value = (random.below(2) === 0 ? first : last) + step;
  const space = spaceOf[family];
  return { family, value: value < space.first ? space.first : value > space.last ? space.last : value };
}

/** Returns an IPv6 address that embeds an IPv4 address, which is mostly in or near a registered block. */
function hidden(random: Random): Address {
  const block = random.pick(blocks.filter(({ family }) => family === 4));
  const { value: inner } = random.pick([within(random, block), besideEdge(random, block), within(random, spaceOf[4])]);
  return { family: 6, value: random.pick(embeddings)(inner, random) };
}

type Embedding = (inner: bigint, random: Random) => bigint;

const embeddings: readonly Embedding[] = [
  (inner) => (0xffffn << 32n) | inner, // mapped
  (inner) => inner, // compatible
  (inner) => (0xffff_0000n << 32n) | inner, // translated
  (inner) => (0x64_ff9bn << 96n) | inner, // NAT64
  (inner, random) => (0x64_ff9b_0001n << 80n) | (random.bits(48) << 32n) | inner, // NAT64 with a local-use prefix
  (inner, random) => (0x2002n << 112n) | (inner << 80n) | random.bits(80), // 6to4
  (inner, random) => (0x2001_0000n << 96n) | (random.bits(64) << 32n) | (inner ^ 0xffff_ffffn), // Teredo
  (inner, random) => (within(random, globalUnicast).value & ~((1n << 64n) - 1n)) | (0x5efen << 32n) | inner, // ISATAP
];
