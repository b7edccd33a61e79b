/** The quickest video that the built-in engine makes; a prompt is all that it lacks. */
export const smallestVideo = { resolution: '480p', aspect_ratio: '1:1', duration: 1 } as const;
