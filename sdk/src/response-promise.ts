/** What one request returned: its parsed body, and the response with the status and headers. */
export interface WithResponse<Data> {
  data: Data;
  /** Its body has already been read. */
  response: Response;
}

/** A promise of a response's data. `withResponse` also returns the response, for its headers. */
export interface ResponsePromise<Data> extends Promise<Data> {
  /** Returns the data and the response, whose headers include the rate limits and the request id. */
  withResponse(): Promise<WithResponse<Data>>;
}

/** Turns a promise of data and response into a promise of the data. */
export function responsePromise<Data>(received: Promise<WithResponse<Data>>): ResponsePromise<Data> {
  const data = received.then((both) => both.data);
  return Object.assign(data, {
    withResponse() {
      data.catch(() => undefined); // the caller handles the other promise, which fails in the same way
      return received;
    },
  });
}
