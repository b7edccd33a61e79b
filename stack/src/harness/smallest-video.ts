/** The request fields, except the prompt, for the video that the built-in engine makes fastest. */
export const smallestVideo = { resolution: '480p', aspect_ratio: '1:1', duration: 1 } as const;
