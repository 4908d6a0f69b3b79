package org.pgas4j.examples.stencil;

/**
 * The arithmetic at one point: differences of a Laplacian in both directions as fluxes with a limiter, and the step. Kernels contract
 * no product with a sum, so results agree with the reference's in every bit.
 */
final class Diffusion {

    static final float COEFFICIENT = 0.025f;

    private Diffusion() {
    }

    /** Only what flows from more to less. */
    static float limited(float flux, float gradient) {
        return flux * gradient > 0.0f ? 0.0f : flux;
    }

    static float step(float f, float xin, float xout, float yin, float yout) {
        return f - COEFFICIENT * ((xout - xin) + (yout - yin));
    }
}
