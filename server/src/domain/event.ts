/** What callers can be told about: the names are part of the contract. */
export type EventType = 'video.started' | 'video.completed' | 'video.failed' | 'video.cancelled';
