/** The classes that a program imports. A runtime on the module path is found by its service {@link org.pgas4j.PgasProvider}. */
module org.pgas4j.api {
    exports org.pgas4j;
    exports org.pgas4j.kernel;

    uses org.pgas4j.PgasProvider;
}
