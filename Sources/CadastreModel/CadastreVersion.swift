/// The version of Cadastre.
public enum CadastreVersion {
  /// The version as three numbers, such as `"0.1.0"`; `cadastre --version` prints the same.
  public static let number = "0.1.0"
}
