import { InvalidArgumentError } from 'commander';

export function readWholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or greater.');
  return number;
}

export function readPositiveNumber(text: string): number {
  const number = Number(text);
  if (!Number.isFinite(number) || number <= 0) throw new InvalidArgumentError('It must be a number greater than 0.');
  return number;
}

export function readMoment(text: string): Date {
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw new InvalidArgumentError('It must be a date such as 2027-01-31.');
  return moment;
}
